# gst-stereomatching: rounds a trained network to integers
# SPDX-License-Identifier: LGPL-2.1-or-later
"""quantize.py CHECKPOINT NAME

Prints the integer weights of a network in a checkpoint of train.py, which also writes them.
"""

import argparse

import torch

from model import CodeNetwork
from network import format_network


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Print the integer weights of a checkpoint")
    parser.add_argument("checkpoint")
    parser.add_argument("name", help="variant")
    args = parser.parse_args(arguments)
    state = torch.load(args.checkpoint, map_location="cpu")["runs"][args.name]
    network = CodeNetwork()
    network.load_state_dict(state["network"])
    print(format_network(network.quantize(), ["%s, %d steps" % (args.name, state["step"])]),
          end="")


if __name__ == "__main__":
    main()
