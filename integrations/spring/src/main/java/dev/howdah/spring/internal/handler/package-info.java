/** Methods of beans as handlers of jobs. */
@NullMarked
package dev.howdah.spring.internal.handler;

import org.jspecify.annotations.NullMarked;
