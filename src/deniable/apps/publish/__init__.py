"""The commands that write whole releases into files: workloads, synthetic tables, models, anonymized tables."""
