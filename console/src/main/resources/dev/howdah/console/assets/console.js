'use strict';
// The console works without this script for reading and for its buttons. The script adds pages that change while they are
// looked at, times in the reader's zone, questions in a dialog, and keys.
(() => {
  const body = document.body;
  const base = body.dataset.base;
  const $ = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const kept = {
    get: key => { try { return localStorage.getItem('howdah-' + key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem('howdah-' + key, value); } catch { /* not kept, then */ } },
  };

  // Theme
  const root = document.documentElement;
  const themes = ['', 'light', 'dark'];
  const theme = name => { if (name) root.dataset.theme = name; else delete root.dataset.theme; };
  theme(kept.get('theme') || '');
  const themeSwitch = $('[data-theme-switch]');
  const nameTheme = () => { themeSwitch.textContent = 'Theme: ' + (root.dataset.theme || 'system'); };
  themeSwitch.hidden = false;
  nameTheme();
  themeSwitch.addEventListener('click', () => {
    const next = themes[(themes.indexOf(root.dataset.theme || '') + 1) % themes.length];
    theme(next);
    kept.set('theme', next);
    nameTheme();
  });

  // Times
  let absolute = kept.get('times') === 'absolute';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = 86400;
  const relative = seconds => {
    const ahead = seconds < 0;
    const s = Math.abs(seconds);
    const text = s < 1 ? 'now' : s < 60 ? Math.floor(s) + ' s' : s < 3600 ? Math.floor(s / 60) + ' min'
      : s < day ? Math.floor(s / 3600) + ' h ' + Math.floor(s / 60 % 60) + ' min' : null;
    if (text === null || text === 'now') return text;
    return ahead ? 'in ' + text : text + ' ago';
  };
  const full = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
  const axis = {
    full,
    day: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }),
    clock: new Intl.DateTimeFormat('sv-SE', { timeStyle: 'short' })
  };
  const duration = s => s < 60 ? s.toFixed(1) + ' s' : s < 3600 ? Math.floor(s / 60) + ' min ' + Math.floor(s % 60) + ' s'
    : Math.floor(s / 3600) + ' h ' + Math.floor(s / 60 % 60) + ' min';
  let offset = 0; // the server's clock less that of this machine, in ms
  const showTimes = where => {
    const now = Date.now() + offset;
    for (const time of all('time', where)) {
      const at = new Date(time.dateTime);
      const tick = axis[time.dataset.axis];
      const text = tick ? tick.format(at) : absolute ? null : relative((now - at) / 1000);
      const shown = text || full.format(at);
      if (time.textContent !== shown) time.textContent = shown;
      if (!time.dataset.titled) {
        time.dataset.titled = 'yes';
        time.title = full.format(at) + ' ' + zone + '\n' + time.title;
      }
    }
    for (const each of all('title[data-at]', where)) {
      const text = each.textContent;
      const end = text.indexOf(' UTC:');
      if (end >= 0) each.textContent = full.format(new Date(each.dataset.at)) + text.slice(end + 4);
    }
    for (const each of all('[data-since]', where)) each.textContent = duration(Math.max(0, (now - new Date(each.dataset.since)) / 1000));
  };
  showTimes(document);
  $('[data-zone]').textContent = 'Times in ' + zone;
  setInterval(() => { if (!document.hidden) showTimes(document); }, 1000);
  const measureClock = async () => {
    const before = Date.now();
    const answer = await fetch($('link[rel="stylesheet"]').href, { method: 'HEAD', cache: 'no-store' });
    // The header has whole seconds.
    const found = Date.parse(answer.headers.get('Date')) + 500 - (before + Date.now()) / 2;
    if (!(Math.abs(found) > 2000)) return;
    offset = found;
    showTimes(document);
    const note = document.createElement('p');
    note.className = 'dim';
    note.dataset.clock = 'off';
    note.textContent = 'The clock of this machine is ' + duration(Math.abs(found) / 1000) + (found > 0 ? ' behind' : ' ahead of')
      + " that of the server. How long ago something was, or is to be, is told by the server's.";
    $('main h1').after(note);
  };
  if ($('time, [data-since]')) measureClock().catch(() => { /* the server is gone, which the page says */ });

  // Copies
  const addCopies = where => {
    for (const pre of all('pre.copy, pre.code:has(> code)', where)) {
      if ($('button', pre) || !navigator.clipboard) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText($('code', pre).textContent);
        button.textContent = 'Copied';
      });
      pre.append(button);
    }
  };
  addCopies(document);
  for (const field of all('input[readonly]')) field.addEventListener('focus', () => field.select());

  // Moments are typed in the zone of the page, and sent in UTC
  const typed = at => new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
  const moments = where => {
    for (const field of all('input[data-moment]', where)) {
      if (field.dataset.zoned) continue;
      field.dataset.zoned = 'yes';
      field.previousElementSibling.textContent = field.dataset.moment;
      field.title = 'in ' + zone;
      if (field.value) field.value = typed(new Date(field.value + 'Z'));
    }
  };
  moments(document);
  document.addEventListener('formdata', event => {
    for (const field of all('input[data-moment]', event.target))
      if (field.value) event.formData.set(field.name, new Date(field.value).toISOString().slice(0, 16) + 'Z');
  });

  // Filters are folded in a narrow window, where they would stand before the list
  const fold = where => {
    for (const form of all('.filters', where)) {
      if ($('.unfold', form)) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'unfold';
      button.textContent = 'Filters';
      const unfold = open => { form.classList.toggle('folded', !open); button.setAttribute('aria-expanded', String(open)); };
      unfold(all('label input, label select', form).some(each => each.options ? !each.options[0].selected : each.value));
      button.addEventListener('click', () => unfold(form.classList.contains('folded')));
      form.prepend(button);
    }
  };
  fold(document);

  // Questions before a change
  const question = $('#question');
  // Where the page has changed while the question stood, the focus goes to the button that came in place of the one that asked.
  const refocus = form => {
    if (form.isConnected) return;
    const same = all('form').find(each => each.getAttribute('action') === form.getAttribute('action'));
    const button = same && $('button', same);
    if (button) button.focus();
  };
  const ask = (text, form, button) => {
    $('#question-text').textContent = text;
    const reason = $('#question-reason');
    reason.value = '';
    question.returnValue = 'no';
    question.showModal();
    question.onclose = () => {
      if (question.returnValue !== 'yes') { refocus(form); return; }
      const add = (name, value) => {
        const field = document.createElement('input');
        field.type = 'hidden';
        field.name = name;
        field.value = value;
        form.append(field);
      };
      add('confirmed', 'yes');
      if (reason.value) add('reason', reason.value);
      form.dataset.sure = 'yes';
      // The page may have changed while the question stood, and a form that is in no page is not sent.
      if (!form.isConnected) { form.hidden = true; body.append(form); }
      form.requestSubmit(button);
    };
  };
  document.addEventListener('submit', event => {
    const form = event.target;
    if (!form.dataset.question || form.dataset.sure) return;
    event.preventDefault();
    ask(form.dataset.question, form);
  });
  // The server counts what is meant, and asks on a page; the question is taken from that. What it says otherwise stays a page.
  document.addEventListener('submit', async event => {
    const form = event.target;
    if (form.dataset.ask === undefined || form.dataset.sure) return;
    event.preventDefault();
    if (form.dataset.asking) return;
    form.dataset.asking = 'yes';
    const button = event.submitter;
    const sent = new URLSearchParams(new FormData(form));
    if (button && button.name) sent.append(button.name, button.value);
    let asked = null;
    try {
      // Not form.action: a button has that name.
      const answer = await fetch(form.getAttribute('action'), { method: 'POST', body: sent, redirect: 'manual' });
      const page = answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
      // Where something has to be typed, the page asks.
      if (page && !$('[data-proof]', page)) asked = $('[data-part=question] .cause', page);
    } catch { /* The page says it, then. */ }
    delete form.dataset.asking;
    if (asked) ask(asked.textContent, form, button);
    else { form.dataset.sure = 'yes'; form.requestSubmit(button); }
  });

  // What is added is what was checked
  const checked = $('#checked');
  const editor = $('form.editor');
  if (checked && editor) {
    const note = document.createElement('p');
    note.setAttribute('role', 'status');
    checked.append(note);
    const asShown = field => {
      if (field.options) return ([...field.options].find(each => each.defaultSelected) || field.options[0] || field).value === field.value;
      return field.type === 'checkbox' || field.type === 'radio' ? field.checked === field.defaultChecked
        : field.value === field.defaultValue.replace(/\r\n?/g, '\n');
    };
    const compare = () => {
      const changed = [...editor.elements].some(each => each.name && each.type !== 'hidden' && !asShown(each));
      for (const form of all('form', checked)) form.hidden = changed;
      note.textContent = changed ? 'It was changed after that: check it again.' : '';
    };
    editor.addEventListener('input', compare);
    addEventListener('pageshow', compare);
  }
  // A page that is a form begins in its first field, or in one that is refused; what was checked is stored by the next key.
  if (editor && !editor.closest('details') && !$('table.rows')) {
    const store = checked && $('form button.strong', checked);
    const field = $('[aria-invalid="true"]', editor) || (checked ? null : $('input:not([type=hidden]), textarea, select', editor));
    // After the address has led to a part of the page, which takes the focus away.
    addEventListener('load', () => {
      if (document.activeElement !== body) return;
      if (store) store.focus({ preventScroll: true });
      else if (field) { field.focus(); if (field.select) field.select(); }
    });
  }

  // A form is sent once
  document.addEventListener('submit', event => {
    const form = event.target;
    if (form.method !== 'post' || event.defaultPrevented) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = 'yes';
  });
  addEventListener('pageshow', () => {
    for (const form of all('form[data-sent]')) delete form.dataset.sent;
    for (const form of all('form[data-sure]')) {
      delete form.dataset.sure;
      for (const field of all('input[name=confirmed], input[name=reason][type=hidden]', form)) field.remove();
    }
  });

  // A part that has changed: rows of a table by their ids, everything else as a whole
  const isAtTop = () => window.scrollY < 80 && !$('.select input:checked') && !['after', 'before'].some(each => new URLSearchParams(location.search).has(each));
  const flash = row => { row.classList.remove('fresh'); void row.offsetWidth; row.classList.add('fresh'); };
  const MANY = 10; // rows that come at once: while they do, they are counted and not shown, so that what is read stays
  const mergeRows = (before, after, isCalm) => {
    const old = new Map(all('tr[data-row]', before).map(row => [row.dataset.row, row]));
    const fresh = [];
    let last = null;
    const rows = all('tr[data-row]', after);
    const isBusy = !isCalm && rows.filter(row => !old.has(row.dataset.row)).length >= MANY;
    const comes = isAtTop() && !isBusy;
    for (const row of rows) {
      const known = old.get(row.dataset.row);
      old.delete(row.dataset.row);
      if (!known) {
        fresh.push(row);
        if (comes) { const added = document.importNode(row, true); before.insertBefore(added, last ? last.nextSibling : before.firstChild); flash(added); last = added; }
        continue;
      }
      if (known.dataset.html !== row.innerHTML) {
        const first = known.dataset.html === undefined && strip(known) === strip(row);
        known.dataset.html = row.innerHTML;
        if (!first && !known.contains(document.activeElement)) {
          const box = $('.select input', known);
          known.innerHTML = row.innerHTML;
          if (box && box.checked) $('.select input', known).checked = true;
          flash(known);
        }
      }
      known.classList.remove('left');
      last = known;
    }
    for (const row of old.values()) if (comes) row.remove(); else if (!isBusy) row.classList.add('left');
    if (comes || !fresh.length) return '';
    // Where none of the rows is left there may be more new ones than a page has room for.
    return fresh.length + (fresh.length === rows.length ? ' or more new' : ' new');
  };
  // The text as the server wrote it: times are shown in other words since.
  const strip = element => {
    const copy = element.cloneNode(true);
    for (const each of all('time', copy)) each.textContent = each.dateTime;
    for (const each of all('[data-since]', copy)) each.textContent = each.dataset.since;
    return copy.textContent.replace(/\s+/g, ' ');
  };
  const news = (part, text) => {
    let bar = $('.news', part);
    if (!text) { if (bar) bar.remove(); return; }
    if (!bar) {
      bar = document.createElement('p');
      bar.className = 'news';
      const button = document.createElement('button');
      button.type = 'button';
      button.addEventListener('click', () => location.reload());
      bar.append(button);
      part.prepend(bar);
    }
    $('button', bar).textContent = text;
  };
  // What stands around a table, but for what is typed or pressed there; false: it is another page by now.
  const around = where => [...where.children].filter(each => !each.matches('.news, form, .tabs, .filters, .bulk, .columns') && !each.querySelector('table.rows tr[data-row]'));
  const mergeRest = (part, next) => {
    const old = around(part);
    const fresh = around(next);
    if (old.length !== fresh.length) return Boolean($('.select input:checked', part));
    old.forEach((each, i) => {
      if (each.contains(document.activeElement) || each.tagName === fresh[i].tagName && strip(each) === strip(fresh[i]) && !each.matches('svg')) return;
      const added = document.importNode(fresh[i], true);
      if ('open' in each) added.open = each.open;
      each.replaceWith(added);
    });
    return true;
  };
  // What can be scrolled can be reached by keys.
  const reach = where => {
    for (const each of all('.scroll, pre', where)) {
      const scrolls = each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight;
      if (scrolls && !$('a[href], button, input, select, textarea, summary', each)) each.tabIndex = 0;
      else each.removeAttribute('tabindex');
    }
  };
  reach(document);
  addEventListener('resize', () => reach(document));
  addEventListener('toggle', () => reach(document), true);

  // What arrives while a part is drawn is drawn together, and drawing has a twentieth of the time: a list in which a thousand
  // rows a second change leaves the browser to its reader.
  const undrawn = new Map();
  const drawn = new Map();
  const held = new Map();
  let drawing = 0;
  let rest = 0;
  const draw = () => {
    drawing = 0;
    const begun = performance.now();
    for (const [name, html] of undrawn) {
      clearTimeout(held.get(name));
      held.delete(name);
      drawn.set(name, html);
      if (render(name, html, false)) held.set(name, setTimeout(() => { held.delete(name); render(name, drawn.get(name), true); }, 3000));
    }
    undrawn.clear();
    void body.offsetHeight;
    rest = Math.max(begun + 20 * (performance.now() - begun), held.size ? begun + 2000 : 0);
  };
  const show = (name, html) => {
    undrawn.set(name, html);
    if (!drawing) drawing = setTimeout(draw, Math.max(0, rest - performance.now()));
  };

  // Draws a part; true: new rows were held back.
  const render = (name, html, isCalm) => {
    const part = $('[data-part="' + name + '"]');
    if (!part) return false;
    let isHeld = false;
    const next = new DOMParser().parseFromString('<section>' + html + '</section>', 'text/html').body.firstChild;
    // Rows are merged where a part has one list; others are replaced as a whole.
    const [before, ...more] = all('table.rows > tbody:has(> [data-row])', part);
    const after = $('table.rows > tbody:has(> [data-row])', next);
    if (before && after && !more.length && mergeRest(part, next)) {
      const text = mergeRows(before, after, isCalm);
      isHeld = !isCalm && text !== '' && isAtTop();
      news(part, text);
      const tabs = $('.tabs', part);
      const nextTabs = $('.tabs', next);
      if (tabs && nextTabs && tabs.innerHTML !== nextTabs.innerHTML && !tabs.contains(document.activeElement)) tabs.innerHTML = nextTabs.innerHTML;
    } else if (!part.contains(document.activeElement) || document.activeElement === document.body) {
      const open = all('details', part).map(each => each.open);
      part.innerHTML = next.innerHTML;
      all('details', part).forEach((each, i) => { each.open = Boolean(open[i]); });
    }
    showTimes(part);
    addCopies(part);
    fold(part);
    moments(part);
    columns(part);
    reach(part);
    showSelected();
    return isHeld;
  };

  // Rows that are selected
  const boxes = () => all('td.select input');
  const showSelected = () => {
    const bar = $('.bulk');
    if (!bar) return;
    const everything = $('input[name=all]', bar);
    const some = boxes().filter(each => each.checked).length;
    const chosen = Boolean(everything && everything.checked);
    const text = chosen ? 'All that match' : some ? some + (some === 1 ? ' row' : ' rows') + ' selected' : 'Select rows to change them';
    const said = $('[data-selected]', bar);
    if (said.textContent !== text) said.textContent = text;
    bar.classList.toggle('some', chosen || some > 0);
    const head = $('[data-select-all]');
    if (head) { head.hidden = false; head.checked = some > 0 && some === boxes().length; head.indeterminate = some > 0 && !head.checked; }
  };
  document.addEventListener('change', event => {
    if (event.target.matches('[data-select-all]')) for (const each of boxes()) each.checked = event.target.checked;
    if (event.target.matches('.select input, .bulk input')) showSelected();
  });
  showSelected();
  addEventListener('pageshow', showSelected);

  // The stream: while the page is seen, and while it is switched on
  const liveText = $('[data-live-text]');
  const liveSwitch = $('[data-live-switch]');
  const banner = $('[data-banner]');
  let live = kept.get('live') !== 'off' && body.dataset.live === 'on';
  let source = null;
  let hiding = 0;
  const put = (where, text) => { if (where.textContent !== text) where.textContent = text; };
  const say = text => put(liveText, text);
  const clock = time => new Date(time).toLocaleTimeString();
  const bannerLink = $('a', banner);
  const down = text => { body.classList.toggle('down', Boolean(text)); banner.hidden = !text; put($('span', banner), text); bannerLink.hidden = true; };
  // What is shown is as old as this: when the database was last known to answer.
  const LATE = 7000; // two of the server's "fresh" were missed
  const HELD = 20000;
  const liveAge = $('[data-live-age]');
  let at = Date.now();
  let arrived = false;
  let pace = 'live';
  const fresh = () => { at = Date.now(); arrived = true; say(pace); put(liveAge, ''); };
  const age = () => {
    const old = Date.now() - at;
    const late = source && old > LATE;
    put(liveAge, late ? ', ' + duration(old / 1000) + ' ago' : '');
    if (late) say('as of ' + clock(at) + (arrived || old < HELD ? '' : ': nothing comes, a proxy may hold the updates back'));
  };
  // A browser has six connections to a host: four of its windows get streams, so that none of the others waits for one.
  let free = null;
  let asking = false;
  const takeHere = $('[data-live-here]');
  const crowded = () => { takeHere.hidden = false; say('off here: four other windows are live'); };
  const slot = steal => new Promise(resolve => {
    if (!navigator.locks) { resolve(true); return; }
    const ask = number => {
      if (number > 4) { resolve(false); return; }
      let held = false;
      navigator.locks.request('howdah-live-' + number, steal ? { steal: true } : { ifAvailable: true }, lock => {
        if (!lock) { ask(number + 1); return undefined; }
        held = true;
        resolve(true);
        return new Promise(done => { free = done; });
      }).catch(() => { if (held) { free = null; close(); crowded(); } else resolve(false); });
    };
    ask(steal ? 1 + Math.floor(Math.random() * 4) : 1);
  });
  const close = () => {
    put(liveAge, '');
    if (source) { source.close(); source = null; }
    if (free) { free(); free = null; }
  };
  // Nothing that this page offers can be done any more.
  let over = false;
  const end = (text, link, href) => {
    over = true;
    close();
    say('as of ' + clock(at));
    down(text);
    bannerLink.textContent = link;
    bannerLink.href = href;
    bannerLink.hidden = false;
  };
  const signedOut = () => end('This session has ended.', 'Log in', location.href);
  let since = null;
  let leaving = 0; // when the last link was followed, or form sent
  addEventListener('beforeunload', () => { leaving = Date.now(); });
  const open = async steal => {
    if (source || asking || over || !live || document.hidden) return;
    asking = true;
    const mine = await slot(steal === true);
    asking = false;
    if (!mine) { crowded(); return; }
    if (source || over || !live || document.hidden) { close(); return; }
    takeHere.hidden = true;
    source = new EventSource(base + '/stream?view=' + encodeURIComponent(location.pathname.slice(base.length) + location.search));
    source.onopen = () => { since = null; down(''); };
    source.onerror = () => {
      since = since || clock(Date.now());
      say('no connection');
      down('No connection to the console since ' + since + '. It is tried again.');
      if (!source || source.readyState !== EventSource.CLOSED) return;
      close();
      // The server has refused the stream.
      fetch(location.href, { method: 'HEAD', cache: 'no-store', redirect: 'manual' })
        .then(answer => { if (answer.status === 401) signedOut(); })
        .catch(() => {})
        .finally(() => setTimeout(open, 3000));
    };
    source.addEventListener('run', event => {
      if (event.data !== body.dataset.run) end('The console was started again after this page was loaded.', 'Load again', location.href);
    });
    source.addEventListener('state', event => {
      if (event.data === 'down') { since = since || clock(Date.now()); down('No connection to the database since ' + since + '. It is tried again.'); }
      else if (event.data === 'up') { since = null; down(''); fresh(); }
      else if (event.data === 'signed-out') signedOut();
      else if (event.data === 'reload') {
        close();
        // While a form is on its way this would keep its answer from being shown.
        setTimeout(() => location.reload(), Math.max(0, leaving + 10000 - Date.now()));
      }
      else if (event.data === 'full') { close(); say('live updates are off: too many windows are open'); }
    });
    source.addEventListener('pace', event => { pace = event.data === '0' ? 'live' : 'live, about every ' + event.data + ' s'; });
    source.addEventListener('fresh', fresh);
    for (const part of all('[data-part]')) {
      const name = part.dataset.part;
      source.addEventListener('part-' + name, event => { show(name, event.data); fresh(); });
    }
  };
  const switchLive = () => {
    liveSwitch.textContent = live ? 'Pause' : 'Go on';
    if (live) open(); else { close(); takeHere.hidden = true; say('as of ' + clock(at)); }
  };
  if (body.dataset.live === 'on') {
    liveSwitch.hidden = false;
    takeHere.addEventListener('click', () => open(true));
    say('');
    liveSwitch.addEventListener('click', () => { live = !live; kept.set('live', live ? 'on' : 'off'); switchLive(); });
    switchLive();
    setInterval(() => { if (!document.hidden) age(); }, 1000);
    document.addEventListener('visibilitychange', () => {
      clearTimeout(hiding);
      if (document.hidden) hiding = setTimeout(close, 5000); else open();
    });
    addEventListener('pagehide', close);
    addEventListener('pageshow', event => { if (event.persisted) open(); });
  } else {
    say('');
  }

  // The menu of narrow windows
  const menu = $('.menu');
  menu.addEventListener('click', () => {
    const opened = $('.side').classList.toggle('open');
    menu.setAttribute('aria-expanded', String(opened));
  });

  const help = $('[data-help-switch]');
  help.hidden = false;
  help.addEventListener('click', () => $('#help').showModal());

  // Columns can be left out, and those of a table of the users' own be shown: in the address, and by the last choice without one
  const list = text => (text || '').split(',').filter(Boolean);
  const columns = where => {
    for (const table of all('table.rows', where)) {
      const heads = all('thead th', table);
      if (heads.length < 6) continue;
      const name = 'columns ' + $('caption', table).textContent;
      const label = head => head.textContent.replace(/[↑↓]/g, '').trim();
      const asked = new URLSearchParams(location.search);
      const left = () => asked.has('hide') ? list(asked.get('hide')) : JSON.parse(kept.get(name) || '[]');
      const go = (parameter, chosen) => {
        asked.set(parameter, chosen.join(','));
        location.search = String(asked);
      };
      const apply = () => {
        const hidden = new Set(left());
        for (const line of all('tr', table)) [...line.cells].forEach((cell, i) => { if (heads[i]) cell.hidden = hidden.has(label(heads[i])); });
      };
      apply();
      const box = table.closest('.scroll');
      if (box.previousElementSibling && box.previousElementSibling.matches('.columns')) continue;
      const choice = document.createElement('details');
      choice.className = 'columns';
      const summary = document.createElement('summary');
      summary.textContent = 'Columns';
      choice.append(summary);
      const offer = (text, isOn, change) => {
        const box = document.createElement('label');
        const check = document.createElement('input');
        check.type = 'checkbox';
        check.checked = isOn;
        check.addEventListener('change', () => change(check.checked));
        box.append(check, ' ' + text);
        choice.append(box);
      };
      const own = list(table.dataset.own);
      heads.forEach((head, i) => {
        const text = label(head);
        if (i < 2 || !text || own.includes(text) || head.querySelector('.hidden') || head.matches('.select')) return;
        offer(text, !head.hidden, isOn => {
          const hidden = new Set(left());
          if (isOn) hidden.delete(text); else hidden.add(text);
          kept.set(name, JSON.stringify([...hidden]));
          go('hide', [...hidden]);
        });
      });
      for (const column of own) {
        const shown = list(asked.get('show'));
        offer(column, shown.includes(column), isOn => go('show', isOn ? [...shown, column] : shown.filter(each => each !== column)));
      }
      box.before(choice);
    }
  };
  columns(document);

  // All places and changes of a page by their names
  const palette = (() => {
    const dialog = $('#palette');
    const field = $('input', dialog);
    const list = $('ul', dialog);
    const places = () => [
      ...all('.side a, .others a, .tabs a, main a.button, main .actions button, .bulk.some button, .views a, th a.sort')
        .filter(each => each.checkVisibility ? each.checkVisibility() || each.closest('.side, .others') : true)
        .map(each => ({ text: (each.closest('th') ? 'Sort by ' : '') + (each.getAttribute('aria-label') || each.textContent).replace(/\s+/g, ' ').trim(), act: () => each.click() })),
      ...all('main tbody tr a').map(each => ({ text: each.textContent.trim(), act: () => each.click() })),
    ];
    let found = [];
    const show = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      found = places().filter(each => words.every(word => each.text.toLowerCase().includes(word))).slice(0, 9);
      if (field.value.trim()) found.push({ text: 'Search for ' + field.value.trim(), act: () => { const search = $('.search'); $('input', search).value = field.value.trim(); search.requestSubmit(); } });
      list.replaceChildren(...found.map(each => {
        const item = document.createElement('li');
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = each.text;
        button.addEventListener('click', () => { dialog.close(); each.act(); });
        item.append(button);
        return item;
      }));
    };
    field.addEventListener('input', show);
    field.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || !found.length) return;
      event.preventDefault();
      dialog.close();
      found[0].act();
    });
    return { open: () => { field.value = ''; show(); dialog.showModal(); } };
  })();

  // Keys: they can be switched off, since programs that hear or read a screen have keys of their own
  let hasKeys = kept.get('keys') !== 'off';
  const keySwitch = $('[data-keys-on]');
  keySwitch.checked = hasKeys;
  keySwitch.addEventListener('change', () => { hasKeys = keySwitch.checked; kept.set('keys', hasKeys ? 'on' : 'off'); });
  // The button of a verb: of the rows that are selected, of the row that is marked, or of the page.
  const press = (...verbs) => {
    const bulk = $('.bulk.some');
    const row = $('tr[aria-selected]');
    for (const verb of verbs) {
      const of = 'form[action$="/' + verb + '"] button, form[action*="/' + verb + '?"] button';
      const button = bulk ? $('button[value="' + verb.replace('-', '_') + '"], button[value="' + verb + '"]', bulk)
        : (row && $(of, row)) || $('main .actions ' + of.replace(', ', ', main .actions '));
      if (button) { button.click(); return; }
    }
  };
  let go = 0;
  let row = -1;
  const told = $('[data-told]');
  const mark = step => {
    const rows = all('table.rows tbody tr');
    if (!rows.length) return;
    row = Math.max(0, Math.min(rows.length - 1, row + step));
    rows.forEach((each, i) => { if (i === row) each.setAttribute('aria-selected', 'true'); else each.removeAttribute('aria-selected'); });
    rows[row].scrollIntoView({ block: 'nearest' });
    told.textContent = 'Row ' + (row + 1) + ' of ' + rows.length + ': ' + rows[row].innerText.replace(/\s+/g, ' ').slice(0, 160);
  };
  document.addEventListener('keydown', event => {
    const field = event.target.closest && event.target.closest('input:not([type=checkbox]), textarea, select, dialog');
    if ((event.ctrlKey || event.metaKey) && event.key === 'k' && hasKeys && !$('dialog[open]')) { event.preventDefault(); palette.open(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter' && hasKeys && field && field.form && field.form.matches('.editor')) {
      event.preventDefault();
      field.form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (field) { if (event.key === 'Escape') event.target.blur(); return; }
    if (!hasKeys) return;
    const now = Date.now();
    if (now - go < 1500) {
      go = 0;
      const link = $('.side a[data-key="' + CSS.escape(event.key) + '"]');
      if (link) { link.click(); event.preventDefault(); }
      return;
    }
    const keys = {
      g: () => { go = now; },
      '/': () => $('.search input').focus(),
      f: () => { const first = $('.filters input:not([type=hidden]), .filters select'); if (first) first.focus(); },
      j: () => mark(1),
      k: () => mark(-1),
      x: () => { const box = $('tr[aria-selected] .select input'); if (box) { box.checked = !box.checked; showSelected(); } },
      X: () => { const some = boxes().some(each => !each.checked); for (const each of boxes()) each.checked = some; showSelected(); },
      n: () => { const link = $('.filters a.button'); if (link) link.click(); },
      i: () => { const link = $('tr[aria-selected] a[href*="/edit"]') || $('main .actions a[href*="/edit"]'); if (link) link.click(); },
      Enter: () => { const link = $('tr[aria-selected] a'); if (link) link.click(); },
      ']': () => { const next = $('[data-next]'); if (next) next.click(); },
      e: () => { const link = $('main a[href*="/jobs/errors"]'); if (link) link.click(); },
      o: () => { const rest = $('tr[aria-selected] details.rest'); if (rest) rest.open = !rest.open; },
      ':': () => palette.open(),
      '[': () => { const previous = $('[data-previous]'); if (previous) previous.click(); },
      '.': () => { const fresh = $('.news button'); if (fresh) fresh.click(); },
      r: () => press('retry', 'run-now', 'retry-failed', 'change'),
      c: () => press('cancel', 'stop'),
      h: () => press('run-now', 'run-retries-now'),
      p: () => press('pause', 'resume'),
      l: () => liveSwitch.click(),
      t: () => { absolute = !absolute; kept.set('times', absolute ? 'absolute' : 'relative'); showTimes(document); },
      '?': () => $('#help').showModal(),
    };
    const tab = /^[1-9]$/.test(event.key) ? all('.tabs a')[event.key - 1] : null;
    const act = tab ? () => tab.click() : keys[event.key];
    if (!act || (event.key === 'Enter' && event.target !== body && event.target !== $('main'))) return;
    event.preventDefault();
    act();
  });
})();
