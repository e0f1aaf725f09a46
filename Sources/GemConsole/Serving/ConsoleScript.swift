#if Server
/// The script: live parts, exact values in copies, shortcuts, the reader's time zone.
///
/// Every page works without it.
enum ConsoleScript {
  static let text = #"""
    // A part that says how often it changes is read again while the page is seen.
    const live = document.querySelector("[data-live]");
    if (live) {
      const timer = setInterval(async () => {
        if (document.hidden) return;
        try {
          // The field keeps the session's idle time: nobody may be in front of the page.
          const answer = await fetch(location.href, { headers: { Accept: "text/html", "X-Console-Live": "1" } });
          // The page then shows the error, or asks for a key.
          if (!answer.ok) {
            clearInterval(timer);
            return location.reload();
          }
          const read = new DOMParser().parseFromString(await answer.text(), "text/html");
          const part = read.getElementById(live.id);
          const old = document.getElementById(live.id);
          if (!part?.dataset.live) clearInterval(timer);
          if (!part) return location.reload();
          if (old && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(part));
        } catch { /* The next turn reads it. */ }
      }, Number(live.dataset.live) * 1000);
    }

    // A copy has exact values instead of formatted ones.
    document.addEventListener("copy", (event) => {
      const selection = getSelection();
      if (!selection || selection.isCollapsed || !event.clipboardData) return;
      if (document.activeElement && /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
      const holder = document.createElement("div");
      holder.append(selection.getRangeAt(0).cloneContents());
      let found = holder.querySelectorAll("[data-exact]");
      if (!found.length) {
        const node = selection.anchorNode;
        const around = (node instanceof Element ? node : node?.parentElement)?.closest("[data-exact]");
        if (!around || !around.contains(selection.focusNode)) return;
        event.clipboardData.setData("text/plain", around.dataset.exact);
        event.preventDefault();
        return;
      }
      for (const part of found) part.textContent = part.dataset.exact;
      for (const row of holder.querySelectorAll("tr")) row.append("\n");
      for (const cell of holder.querySelectorAll("td + td, th + td, th + th")) cell.prepend("\t");
      event.clipboardData.setData("text/plain", holder.textContent);
      event.preventDefault();
    });

    // "/" goes to the search; "g" and then a section's letter goes to the section.
    let waits = false;
    document.addEventListener("keydown", (event) => {
      const target = event.target;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof Element && target.matches("input, textarea, select")) return;
      if (event.key === "/") {
        document.getElementById("search")?.focus();
        event.preventDefault();
      } else if (waits) {
        waits = false;
        document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
      } else {
        waits = event.key === "g";
      }
    });

    // A second press of a button does not send the form again.
    for (const form of document.querySelectorAll("form[method=post]")) {
      form.addEventListener("submit", (event) => {
        if (form.dataset.sent) return event.preventDefault();
        form.dataset.sent = "yes";
        setTimeout(() => delete form.dataset.sent, 5000);
      });
    }

    // The browser names its time zone once a session.
    if (document.body.hasAttribute("data-zone")) {
      const input = document.getElementById("zone");
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      if (input && zone) {
        input.value = zone;
        fetch("/console/zone", { method: "POST", body: new URLSearchParams(new FormData(input.form)) })
          .then(() => { if (zone !== "UTC" && location.search === "") location.reload(); });
      }
    }

    """#
}
#endif
