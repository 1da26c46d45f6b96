"""Rules of the plan that hold on every cloud; each cloud's `PlanReader` says what its resources let in or allow."""
