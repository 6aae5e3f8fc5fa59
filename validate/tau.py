"""How well one order agrees with another. SPDX-License-Identifier: MIT"""


def tau(pairs, same=1.0):
    """Kendall's tau-b; second numbers within the factor `same` are a tie. None where all of a side are equal."""
    agree = left = right = 0
    for i, (a, b) in enumerate(pairs):
        for c, d in pairs[:i]:
            x, y = (a > c) - (a < c), (b > d * same) - (b * same < d)
            agree += x * y
            left += x != 0
            right += y != 0
    return agree / (left * right) ** 0.5 if left and right else None
