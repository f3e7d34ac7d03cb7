from mcp.server.fastmcp import FastMCP

mcp = FastMCP("Text statistics")


@mcp.tool()
def count_words(text: str) -> dict[str, int]:
    """Count the lines, words and characters of a text."""
    return {
        "lines": len(text.splitlines()),
        "words": len(text.split()),
        "characters": len(text),
    }


@mcp.tool()
def reading_minutes(text: str, words_per_minute: int = 220) -> float:
    """Estimate the minutes that reading a text takes."""
    if words_per_minute < 1:
        raise ValueError("words_per_minute must be at least 1")
    return round(len(text.split()) / words_per_minute, 1)


if __name__ == "__main__":
    mcp.run()
