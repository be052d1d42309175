"""The viewer: a world or a recording in the browser. See docs/viewer-server.md."""
