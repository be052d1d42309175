"""The viewer: a page in the browser that shows a world while it runs, a recording, or a file that holds its own data."""
