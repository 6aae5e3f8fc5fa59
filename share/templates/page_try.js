
"use strict";
{
  const stage = document.getElementById("try"), back = stage.querySelector("button");
  const empty = stage.querySelector("template").content.querySelector("iframe");
  let shown;
  for (const words of document.querySelectorAll("[data-try]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Try it";
    button.addEventListener("click", () => {
      if (!shown || shown.dataset.start !== words.dataset.try) {
        if (shown) shown.remove();
        shown = empty.cloneNode(true);
        shown.dataset.start = words.dataset.try;
        stage.append(shown);
      }
      stage.showModal();
    });
    words.prepend(button, " ");
  }
  back.addEventListener("click", () => stage.close());
}
