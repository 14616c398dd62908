#!/usr/bin/env python3
"""check_trace.py FILE: whether a trace of `kiln run --trace` is sound: JSON, spans that nest on each line, kernels on a
device's line that lie within the trace, nothing dropped. Prints what it holds; exit code 1 and a sentence if it is not."""
import collections
import json
import sys


def check(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    events, facts = trace["traceEvents"], trace["otherData"]
    spans = [event for event in events if event["ph"] == "X"]
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    open_ends = collections.defaultdict(list)
    for span in spans:
        line = (span["pid"], span["tid"])
        begin = round(span["ts"] * 1000)
        end = begin + round(span["dur"] * 1000)
        if line not in named:
            return f"a line without a name: {span}"
        ends = open_ends[line]
        while ends and ends[-1] <= begin:
            ends.pop()
        if ends and end > ends[-1]:
            return f"a span cuts another: {span}"
        ends.append(end)
    last = max((span["ts"] + span["dur"] for span in spans if span["cat"] != "kernel"), default=0)
    slack = max(facts["device_clock_uncertainty_us"].values(), default=0) + 2
    kernels = [span for span in spans if span["cat"] == "kernel"]
    if not kernels:
        return "no kernel on any device's line"
    for kernel in kernels:
        if kernel["ts"] < -slack or kernel["ts"] + kernel["dur"] > last + slack:
            return f"a kernel outside the run: {kernel}"
    if facts["dropped_spans"] or facts["launches_without_device_time"]:
        return f"something is missing: {facts}"
    for kind, count in sorted(collections.Counter(span["cat"] for span in spans).items()):
        print(f"{count:8} {kind}")
    print(json.dumps(facts))
    return ""


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if problem := check(sys.argv[1]):
        sys.exit(f"{sys.argv[1]}: {problem}")
