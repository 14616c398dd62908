#!/usr/bin/env python3
"""Discrete-event model of a job over many ranks, as src/ranks hands it out: rank 0 has one thread of work per variant
(question, answer, record) that takes `--head` seconds, every message is seen after `--latency`, each rank has one variant
in hand and one that lies ready, and every `--ahead` variants a rank the others wait until the code of the next ones is
there. Prints the efficiency for each number of ranks.

  tools/scaling/model.py --head 0.0004 --latency 0.004 --seconds 0.1 --variants-per-rank 100 1 4 64 256 1000
"""
import argparse
import heapq
import random


def simulate(ranks, options, generator):
    """Seconds that the job takes, and the sum of the variants' own seconds."""
    variants = ranks * options.variants_per_rank
    batch = options.ahead * ranks
    now, work = 0.0, 0.0
    for begin in range(0, variants, batch):
        left = min(batch, variants - begin)
        head_free = now          # when rank 0 can take up the next message
        free = [now] * ranks     # when each rank's device is
        events = []              # (time at which rank 0 can see it, rank)
        for rank in range(ranks):
            for _ in range(1 if rank == 0 else 2):
                heapq.heappush(events, (now, rank))
        end = now
        while events:
            seen, rank = heapq.heappop(events)
            if left == 0 or (rank != 0 and left <= ranks and free[rank] > seen + options.latency):
                continue  # nothing is left, or the last ones go to the free ranks
            left -= 1
            head_free = max(head_free, seen) + options.head
            arrives = head_free + (0 if rank == 0 else options.latency)
            seconds = options.seconds * (1 + options.spread * (2 * generator.random() - 1))
            work += seconds
            free[rank] = max(free[rank], arrives) + seconds
            end = max(end, free[rank])
            heapq.heappush(events, (free[rank] + (0 if rank == 0 else options.latency), rank))
        now = max(end, head_free) + options.compile
    return now, work


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head", type=float, required=True, help="seconds of rank 0 for each variant")
    parser.add_argument("--latency", type=float, required=True, help="seconds until a message is seen")
    parser.add_argument("--seconds", type=float, default=0.1, help="of a variant")
    parser.add_argument("--spread", type=float, default=0.5, help="variants take seconds * (1 +- spread)")
    parser.add_argument("--variants-per-rank", type=int, default=100)
    parser.add_argument("--ahead", type=int, default=64, help="variants a rank whose code is made at once")
    parser.add_argument("--compile", type=float, default=0.0, help="seconds between two such batches")
    parser.add_argument("ranks", type=int, nargs="+")
    options = parser.parse_args()
    for ranks in options.ranks:
        seconds, work = simulate(ranks, options, random.Random(1))
        print(f"{ranks} ranks: {seconds:.2f} s, efficiency {work / ranks / seconds:.3f}")


if __name__ == "__main__":
    main()
