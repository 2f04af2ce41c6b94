#!/usr/bin/env python3
"""The switch of netns_cluster.sh where frames are to be late, out of order or lost
(not every kernel has tc's netem): forwards what comes in at one port to all others.

    netns_relay.py --delay US --jitter US --loss PERMILLE PORT...
"""

import argparse
import heapq
import itertools
import random
import select
import socket
import time

ETH_P_ALL = 3
SOL_PACKET = 263
# Frames come and go with what the sender has left to its network card to do:
# checksums, and segments of up to 64 KiB to be split.
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23  # what we send ourselves
LARGEST_FRAME = 10 + 14 + 65536


def open_port(name):
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    port.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    port.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    port.setblocking(False)
    port.bind((name, ETH_P_ALL))
    return port


class Relay:
    def __init__(self, options):
        self.delay = options.delay * 1e-6
        self.jitter = options.jitter * 1e-6
        self.loss = options.loss * 1e-3
        self.ports = [open_port(name) for name in options.ports]
        self.random = random.Random(1)
        self.queue = []  # (when, number, to, frame)
        self.numbers = itertools.count()

    def take_in(self, port):
        while True:
            try:
                frame = port.recv(LARGEST_FRAME)
            except OSError:  # no more; or the link is down
                return
            for other in self.ports:
                if other is port or self.random.random() < self.loss:
                    continue
                when = time.monotonic() + self.delay
                when += self.jitter * self.random.random()
                heapq.heappush(self.queue, (when, next(self.numbers), other, frame))

    def send_due(self):
        while self.queue and self.queue[0][0] <= time.monotonic():
            _, _, port, frame = heapq.heappop(self.queue)
            try:
                port.send(frame)
            except OSError:  # the link is down: lost
                pass

    def run(self):
        while True:
            wait = None
            if self.queue:
                wait = max(0.0, self.queue[0][0] - time.monotonic())
            for port in select.select(self.ports, [], [], wait)[0]:
                self.take_in(port)
            self.send_due()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--jitter", type=float, default=0)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("ports", nargs="+")
    Relay(parser.parse_args()).run()


if __name__ == "__main__":
    main()
