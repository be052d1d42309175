// The page's words in English and Japanese. They all stand in words.json; elements of the page name theirs: data-word (their text),
// data-word-title (their hint), data-word-label (their name for readers of the screen).
import words from "./words.json";

export type Word = keyof typeof words;
export type Language = "en" | "ja";

let language: Language = firstLanguage();

export const currentLanguage = (): Language => language;

/** A text of the dictionary, {names} in it replaced. */
export function say(word: Word, values: Record<string, string | number> = {}): string {
  return words[word][language].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

/** The same where the word may not be in the dictionary, as names that come with a scene. */
export function sayOr(word: string, otherwise: string): string {
  return word in words ? say(word as Word) : otherwise;
}

/** A sentence that was written elsewhere in English, in the language of the page if the dictionary has it. */
export function sayAgain(text: string | null): string | null {
  if (text === null || language === "en") return text;
  const known = (Object.keys(words) as Word[]).find((word) => words[word].en === text);
  return known ? say(known) : text;
}

/** An element's text, now and after another language was chosen. */
export function label(element: HTMLElement, word: string, otherwise = ""): void {
  element.dataset.word = word;
  element.textContent = sayOr(word, otherwise);
}

/** Write the words of a language into the page. */
export function speak(chosen: Language): void {
  language = chosen;
  document.documentElement.lang = chosen;
  for (const element of document.querySelectorAll<HTMLElement>("[data-word]")) {
    element.textContent = sayOr(element.dataset.word!, element.textContent ?? "");
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-word-title]")) {
    element.title = sayOr(element.dataset.wordTitle!, element.title);
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-word-label]")) {
    element.setAttribute("aria-label", sayOr(element.dataset.wordLabel!, element.getAttribute("aria-label") ?? ""));
  }
}

/** The language of the last visit, else that of the browser. */
function firstLanguage(): Language {
  try {
    const kept = localStorage.getItem("bunraku-language");
    if (kept === "en" || kept === "ja") return kept;
  } catch {
    // storage is closed to pages of the file system in some browsers
  }
  return navigator.language.toLowerCase().startsWith("ja") ? "ja" : "en";
}

export function keepLanguage(chosen: Language): void {
  try {
    localStorage.setItem("bunraku-language", chosen);
  } catch {
    // as above
  }
}
