// pictures.js - the SVG files of the tool, inside the page. Each has style sheets for light and
// dark of its own: it is put into a shadow tree, so that the policy of the page needs no styles
// from texts and pictures cannot change others.

const AROUND = "\n:host{display:block;overflow-x:auto}svg{display:block;width:100%;min-width:40rem;max-width:60rem;height:auto}";

export function showPicture(host, text, label) {
  const root = host.shadowRoot || host.attachShadow({mode: "open"});
  const [style = "", rules = ""] = text.match(/<style>([^]*?)<\/style>/) || [];
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules + AROUND);
  root.adoptedStyleSheets = [sheet];
  const parsed = new DOMParser().parseFromString(text.replace(style, ""), "image/svg+xml").documentElement;
  const picture = document.importNode(parsed, true);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", label);
  root.replaceChildren(picture);
}
export function hidePicture(host) {
  if (host.shadowRoot) host.shadowRoot.replaceChildren();
}
