/** A telephone company's billing: a payment leads to an invoice as PDF by mail, a confirmation by HTTP and a switched port by SSH. */
@NullMarked
package dev.howdah.examples.billing;

import org.jspecify.annotations.NullMarked;
