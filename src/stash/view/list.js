// Asks for the rows anew when a filter or the folder changes. The page is whole without it.
(() => {
  const filter = document.getElementById("filter");
  const compare = document.getElementById("compare");
  const rows = document.getElementById("rows");
  const state = document.getElementById("state");
  const chosen = (name) => compare.querySelector(`input[name=${name}]:checked`)?.value;
  const choose = (name, value) => {
    for (const input of compare.querySelectorAll(`input[name=${name}]`)) input.checked = input.value === value;
  };
  let latest = 0;
  const update = async () => {
    const mine = ++latest;
    const query = new URLSearchParams(new FormData(filter));
    try {
      const answer = await fetch("/rows?" + query);
      const html = await answer.text();
      if (mine !== latest || !answer.ok) return;
      const before = chosen("before"), after = chosen("after");
      rows.innerHTML = html;
      choose("before", before);
      choose("after", after);
    } catch {
      return;  // the event source says that the server is gone
    }
    history.replaceState(null, "", "/?" + query);
  };
  filter.querySelector("button").hidden = true;
  filter.addEventListener("input", update);
  filter.addEventListener("submit", (event) => { event.preventDefault(); update(); });
  const events = new EventSource("/events");
  events.addEventListener("message", update);
  events.addEventListener("open", () => { state.textContent = "updates live"; update(); });
  events.addEventListener("error", () => { state.textContent = "stash view has ended; this is what it showed last"; });
})();
