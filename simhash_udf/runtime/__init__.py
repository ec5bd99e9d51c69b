"""What surrounds the stages: settings from outside, the Spark session, files and manifests, logging."""
