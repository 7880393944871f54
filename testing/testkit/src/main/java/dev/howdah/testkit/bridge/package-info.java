/**
 * For authors of a {@link dev.howdah.spi.TransactionBridge}: {@link dev.howdah.testkit.bridge.BridgeTable} tries all calls in all situations of a
 * transaction.
 */
@NullMarked
package dev.howdah.testkit.bridge;

import org.jspecify.annotations.NullMarked;
