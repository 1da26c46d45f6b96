"""Rules of the plan for every cloud; each cloud's `PlanReader` says what its resources admit or allow."""
