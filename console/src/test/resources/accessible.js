(() => {
  // The problems of a page for people who do not see it, see little, or use no mouse; empty: none is found.
  const problems = [];
  const say = (element, text) => problems.push(text + ': ' + element.outerHTML.slice(0, 120));
  const isSeen = element => element.checkVisibility({ checkVisibilityCSS: true }) && !element.closest('.hidden, .skip, dialog:not([open])');
  const nameOf = element => (element.getAttribute('aria-label') || (element.labels && [...element.labels].map(l => l.textContent).join(' '))
    || element.textContent || element.title || '').trim();

  for (const each of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, progress'))
    if (!each.closest('dialog:not([open])') && !each.hidden && !nameOf(each)) say(each, 'no name');
  for (const each of document.querySelectorAll('[tabindex]')) if (each.tabIndex > 0) say(each, 'an order of its own');
  for (const each of document.querySelectorAll('table.rows')) if (!each.caption) say(each, 'no caption');
  for (const each of document.querySelectorAll('table.rows th')) if (!each.scope) say(each, 'no scope');
  for (const each of document.querySelectorAll('[aria-describedby]'))
    if (!document.getElementById(each.getAttribute('aria-describedby'))) say(each, 'described by nothing');
  const ids = [...document.querySelectorAll('[id]')].map(each => each.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push('the id ' + id + ' twice');
  let level = 0;
  for (const each of document.querySelectorAll('main h1, main h2, main h3')) {
    const next = Number(each.tagName[1]);
    if (next > level + 1) say(each, 'a level of headings is left out');
    level = next;
  }
  for (const each of document.querySelectorAll('button, select, textarea, input:not([type=hidden]):not([type=checkbox])'))
    if (isSeen(each) && each.getBoundingClientRect().height < 24) say(each, 'less than 24 pixels high');

  const colour = text => {
    const n = (text.match(/-?[\d.]+(e-?\d+)?/g) || []).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return { r: n[0] * scale, g: n[1] * scale, b: n[2] * scale, a: n.length > 3 ? n[3] : 1 };
  };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const backOf = element => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      const c = colour(getComputedStyle(each).backgroundColor);
      if (c.a > 0) layers.push(c);
      if (c.a === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const light = c => {
    const part = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
  };
  const seen = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element) || element.closest('svg, script, .fresh') || !isSeen(element)) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const back = backOf(element);
    const one = light(over(colour(style.color), back));
    const other = light(back);
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    if (contrast < (size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700) ? 3 : 4.5))
      say(element, 'a contrast of ' + contrast.toFixed(2));
  }
  return [...new Set(problems)].slice(0, 20).join('\n');
})()
