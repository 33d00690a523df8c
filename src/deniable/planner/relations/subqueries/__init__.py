"""SELECTs inside of a SELECT: as rows, as a set beside the rows, as one value in a row, and as a UNION."""
