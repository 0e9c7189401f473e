"""An agent starts this when the agent has finished its reply; the event's JSON is on stdin."""

import os
import sys

# A source tree runs its own code; an installed hook has no such folder and runs the package it was installed with
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))
try:
    from neotoma_hooks.hook import main
# Half an upgrade must not trouble the agent, and what a file that is cut short raises depends on where it is cut
except BaseException:  # noqa: BLE001
    os._exit(0)
main("stop")
