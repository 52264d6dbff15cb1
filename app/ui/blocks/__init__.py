"""Widgets that draw the blocks of app.present.views."""
