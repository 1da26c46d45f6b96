"""Plan rules that apply to every cloud. Each cloud's `PlanReader` determines what its resources expose or permit."""
