"""The stages: functions from DataFrames to DataFrames, none of which runs an action or imports another."""
