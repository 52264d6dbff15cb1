"""The numbers and the advice. Pure: no Qt, no torch, no database, no network, no clock."""
