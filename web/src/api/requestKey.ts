// Idempotency-Keys: the same request sent twice, by a lost answer or a second press, is done once.
// Another request gets another key.
export class RequestKey {
  private sent = "";
  private word = "";

  of(body: unknown): string {
    const text = JSON.stringify(body);
    if (text !== this.sent || this.word === "") {
      this.sent = text;
      this.word = crypto.randomUUID();
    }
    return this.word;
  }
}
