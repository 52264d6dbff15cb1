"""`python -m app.calibrate ROWS.csv`."""

from app.calibrate.program import main

raise SystemExit(main())
