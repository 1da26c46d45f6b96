"""Plan rules for every cloud. Each cloud's `PlanReader` determines what the cloud's resources expose or permit."""
