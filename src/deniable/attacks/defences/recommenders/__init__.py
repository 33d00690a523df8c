"""Search engines that rank advertisements by what they know of the visitor."""
