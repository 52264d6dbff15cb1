"""One module a step in `versions/`, never edited after a release. Run by `app.store.upgrade`, never by hand."""
