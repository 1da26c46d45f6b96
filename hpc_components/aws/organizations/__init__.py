"""What belongs to one organization alone: the role of its jobs, a bucket with its own key, and the use of a role in
its own account.
"""
