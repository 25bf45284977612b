"""Vercel."""
