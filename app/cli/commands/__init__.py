"""One module a command: `arguments(parser, context, name)` and `run(args, context) -> exit code`."""
