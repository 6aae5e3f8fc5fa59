"""The version: that of the C library. SPDX-License-Identifier: MIT"""
__version__ = "0.2.0"
