"""x"""


def page(release):
    return ""
