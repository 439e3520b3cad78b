"""Real models, captured, compiled natively, run and trained, beside eager PyTorch and Inductor.

Writes one table, and pictures to build/demo/. ``--quick`` takes two models of eight.
"""

from demo.stages import main

if __name__ == "__main__":
    main()
