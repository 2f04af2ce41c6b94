"""Runs the benchmarks and turns their records into figures."""
