"""Runs a command in a pseudo terminal, for terminal.ts: keys on stdin, its output on stdout.

Arguments: columns, rows, then the command. The message `\\x00<columns>x<rows>\\x00` on stdin resizes
the terminal. Ends with the command, and with its exit code.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios

RESIZE = re.compile(rb"\0(\d+)x(\d+)\0")


def resize(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))


def main():
    columns, rows, *command = sys.argv[1:]
    begin, wait = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.close(wait)
        os.read(begin, 1)  # until the terminal has its size
        os.execvp(command[0], command)
    resize(fd, columns, rows)
    os.close(wait)
    sources = [0, fd]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if 0 in ready:
            typed = os.read(0, 65536)
            if typed == b"":
                sources.remove(0)
            for size in RESIZE.findall(typed):
                resize(fd, *size)
            os.write(fd, RESIZE.sub(b"", typed))
        if fd in ready:
            try:
                shown = os.read(fd, 65536)
            except OSError:  # Linux says so when no process has the terminal any more
                shown = b""
            if shown == b"":
                break
            os.write(1, shown)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)


main()
