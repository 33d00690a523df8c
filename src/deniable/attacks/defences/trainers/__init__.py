"""Ways to train a model that will be published."""
