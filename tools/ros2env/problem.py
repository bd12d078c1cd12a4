"""What goes wrong, told to a person."""

import os
import subprocess


class Problem(Exception):
    """Ends the command with this message and no traceback."""


def call(command, **options):
    """Runs a command that speaks to the user itself, and returns its exit status."""
    try:
        return subprocess.call([str(c) for c in command], **options)
    except OSError as error:
        raise Problem(f"{command[0]} could not be started: {error.strerror}") from error


def become(command, environment):
    """Replaces this process by a command: signals, status and terminal are the command's own."""
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        raise Problem(f"{command[0]} could not be started: {error.strerror}") from error


def run(command, failing, **options):
    """Runs a command and returns its output; if it fails, its last words become the problem's text."""
    try:
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, **options)
    except OSError as error:
        raise Problem(f"{failing}: {error}") from error
    if done.returncode != 0:
        last_words = "\n".join("    " + line for line in done.stdout.splitlines()[-15:])
        raise Problem(f"{failing}: `{' '.join(str(c) for c in command)}` ended with "
                      f"{done.returncode} and said\n{last_words}")
    return done.stdout
