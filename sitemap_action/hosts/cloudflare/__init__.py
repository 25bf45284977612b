"""Cloudflare."""
