"""This machine and this user: where files lie and how they are written, the settings, the log of a crash. No Qt, no database."""
