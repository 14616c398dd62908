#!/usr/bin/env python3
"""The polynomial in kernels_src/hartree_fock/boys.h: F(t) = erf(sqrt t) / sqrt t on [0, end] in powers of
u = 2 t / end - 1, a Chebyshev series cut after `terms` terms. Prints the terms and the largest relative error of the
polynomial with these terms as doubles, both made with 50 digits. Needs mpmath.

    boys.py [END TERMS]     default: 28 31
"""
import sys

from mpmath import cos, erf, mp, mpf, nstr, pi, sqrt

mp.dps = 50


def boys(t):
    return erf(sqrt(t)) / sqrt(t) if t else 2 / sqrt(pi)


def chebyshev(end, terms, nodes=120):
    """Coefficients of the series, by Gauss-Chebyshev quadrature."""
    angles = [pi * (2 * k + 1) / (2 * nodes) for k in range(nodes)]
    values = [boys((cos(angle) + 1) * end / 2) for angle in angles]
    series = [2 * sum(v * cos(n * a) for v, a in zip(values, angles)) / nodes for n in range(terms)]
    series[0] /= 2
    return series


def powers(series):
    """The same polynomial in powers of u, by the recurrence T[n+1] = 2 u T[n] - T[n-1]."""
    polynomials = [[mpf(1)], [mpf(0), mpf(1)]]
    while len(polynomials) < len(series):
        last, before = polynomials[-1], polynomials[-2]
        shifted = [mpf(0)] + [2 * c for c in last]
        polynomials.append([c - (before[n] if n < len(before) else 0) for n, c in enumerate(shifted)])
    result = [mpf(0)] * len(series)
    for factor, polynomial in zip(series, polynomials):
        for n, c in enumerate(polynomial):
            result[n] += factor * c
    return result


def main():
    end, terms = (int(a) for a in sys.argv[1:]) if len(sys.argv) == 3 else (28, 31)
    rounded = [float(c) for c in powers(chebyshev(end, terms))]
    worst = 0
    for step in range(2001):
        u = mpf(step) / 1000 - 1
        value = mpf(0)
        for c in reversed(rounded):
            value = value * u + mpf(c)
        worst = max(worst, abs(value / boys((u + 1) * end / 2) - 1))
    print(",\n".join(repr(c) for c in rounded))
    print(f"relative error on [0, {end}]: {nstr(worst, 3)}", file=sys.stderr)


main()
