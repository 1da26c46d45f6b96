"""Plan rules that apply to every cloud. Each cloud's `PlanReader` says what its resources admit or allow."""
