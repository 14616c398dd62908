#!/usr/bin/env python3
"""Writes the small deck beside this file: minibude's file formats, with energies computed here, in Python's double.

The energies are an implementation of their own (the formula case by case), not Kiln's reference kernel.
"""
import math
import pathlib
import random
import struct

LIGAND, PROTEIN, TYPES, POSES = 5, 40, 6, 70  # 70: no multiple of any ppwi but 1 and 2
DASH, DONOR, EITHER, CHARGED = (ord(c) for c in "-DEF")


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def rotate(angles, atom):
    sx, sy, sz = (math.sin(a) for a in angles)
    cx, cy, cz = (math.cos(a) for a in angles)
    rows = ((cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz),
            (cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz),
            (-sy, sx * cy, cx * cy))
    return [sum(r * v for r, v in zip(row, atom)) for row in rows]


def pair_energy(distance, ligand, protein):
    (l_bond, l_radius, l_water, l_charge), (p_bond, p_radius, p_water, p_charge) = ligand, protein
    contact = p_radius + l_radius
    gap = distance - contact
    inside = gap < 0
    energy = 76 * (1 - distance / contact) if inside else 0.0

    reach = 4 if l_bond == CHARGED and p_bond == CHARGED else 2
    if gap < reach:
        charge = l_charge * p_charge * (1 if inside else 1 - gap / reach)
        if EITHER in (l_bond, p_bond):
            charge = -abs(charge)
        energy += 45 * charge

    if p_water < 0:
        reach = 5.5 if l_water < 0 else 1
    else:
        reach = 1 if l_water < 0 else None
    if p_water != 0 and reach is not None and gap < reach:
        p_share = -p_water if p_water < 0 < l_water else p_water
        l_share = -l_water if l_water < 0 < p_water else l_water
        energy += (p_share + l_share) * (1 if inside else 1 - gap / reach)
    return energy


def main():
    folder = pathlib.Path(__file__).parent / "deck"
    draw = random.Random(7)
    types = [(DASH, 1.42, -0.47, 0.0), (DASH, 1.64, -0.79, 0.0), (DONOR, 1.55, 0.25, 0.52), (EITHER, 1.5, 0.6, 0.4),
             (CHARGED, 1.73, 0.7, -0.75), (CHARGED, 1.64, 0.0, 1.0)]
    types = [(bond, *map(single, rest)) for bond, *rest in types]
    ligand = [([single(draw.uniform(-3, 3)) for _ in range(3)], i % TYPES) for i in range(LIGAND)]
    protein = []
    while len(protein) < PROTEIN:
        place = [single(draw.uniform(-9, 9)) for _ in range(3)]
        if math.hypot(*place) > 3:
            protein.append((place, draw.randrange(TYPES)))
    poses = [[single(math.radians(draw.randrange(-170, 181, 10))) for _ in range(3)] +
             [float(draw.randrange(-4, 5)) for _ in range(3)] for _ in range(POSES)]

    energies = []
    for pose in poses:
        energy = 0.0
        for l_place, l_type in ligand:
            moved = [r + t for r, t in zip(rotate(pose[:3], l_place), pose[3:])]
            energy += sum(pair_energy(math.dist(moved, place), types[l_type], types[kind]) for place, kind in protein)
        energies.append(energy / 2)

    def write(name, data):
        (folder / name).write_bytes(data)

    write("ligand.in", b"".join(struct.pack("<fffi", *place, kind) for place, kind in ligand))
    write("protein.in", b"".join(struct.pack("<fffi", *place, kind) for place, kind in protein))
    write("forcefield.in", b"".join(struct.pack("<ifff", *kind) for kind in types))
    write("poses.in", struct.pack(f"<{6 * POSES}f", *(pose[k] for k in range(6) for pose in poses)))
    write("ref_energies.out", "".join(f"{energy:.6f}\n" for energy in energies).encode())


if __name__ == "__main__":
    main()
