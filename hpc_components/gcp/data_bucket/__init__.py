"""Creates and checks data buckets in Cloud Storage."""
