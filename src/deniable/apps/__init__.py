"""Front ends: they translate, and never decide."""
