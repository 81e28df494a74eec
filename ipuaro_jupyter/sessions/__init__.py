"""Conversations, kept in Redis."""
