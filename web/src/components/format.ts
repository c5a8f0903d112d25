// Numbers, sizes, spans and times as people read them.

const plain = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function count(value: number): string {
  return plain.format(value);
}

export function shortCount(value: number): string {
  return value < 100_000 ? plain.format(value) : short.format(value);
}

export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${plain.format(value)} ${value === 1 ? singular : many}`;
}

// "picked_up" as "Picked up".
export function sentenceCase(word: string): string {
  const text = word.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function percent(share: number): string {
  if (share > 0 && share < 0.01) return "<1 %";
  return `${Math.round(share * 100)} %`;
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size >= 100 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

// A span in its two largest units: "2 h 5 min".
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) {
    const rest = whole % 60;
    return minutes < 10 && rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 > 0 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 > 0 && days < 10 ? `${days} d ${hours % 24} h` : `${days} d`;
}

// "3 min ago", "in 2 h"; `now` is given so that everything on a page means the same moment.
export function relative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 5) return "now";
  const away = Math.abs(seconds);
  const text = span(away < 60 ? away : Math.floor(away / 60) * 60); // beyond a minute, no seconds
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

// In the user's own zone, or in the one that is named.
export function localTime(at: Date, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "medium",
    timeZone: zone,
  }).format(at);
}

export function localMinute(at: Date, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: zone,
  }).format(at);
}

// From when to when, to the minute; the day of its end only if that is another one.
export function localSpan(from: Date, to: Date, zone?: string): [string, string] {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: zone });
  const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: zone });
  const begins = localMinute(from, zone);
  if (day.format(from) === day.format(to)) return [begins, clock.format(to)];
  return [begins, localMinute(to, zone)];
}

// When a window opens: "02:00" today, else "Thu 19 Nov, 02:00".
export function opensText(opens: Date, now: Date, zone?: string): string {
  const day = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    timeZone: zone,
  });
  const clock = localClock(opens, zone).slice(0, 5);
  if (localDay(opens, zone) === localDay(now, zone)) return clock;
  return `${day.format(opens).replace(",", "")}, ${clock}`;
}

function localDay(at: Date, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeZone: zone }).format(at);
}

// "14:02:11"
export function localClock(at: Date, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: zone }).format(at);
}

export function utcTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
