"""Keys of actions: which the user has chosen, the dialog to choose them in, and the manual's page about them."""
