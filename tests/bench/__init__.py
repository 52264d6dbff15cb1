"""`make bench`: the figures the product promises, as ratios where that makes them independent of the machine.

Never part of the tests: a slow machine is no fault.
"""
