"""The report as one HTML file that needs no network: markup, style and script are files, the data is JSON."""
